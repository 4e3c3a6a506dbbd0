/** Milliseconds. */
export const minute = 60_000
const quarter = 15 * minute

/** How much of something is allowed, and in what time. */
export interface Budget {
  readonly max: number
  /** Milliseconds. */
  readonly timeWindow: number
}

/** The budgets, apart from those of callers and addresses, which are configured. */
export const fixedBudgets = {
  /** A person mistypes a few times, from where they are. */
  'login of account and address': { max: 10, timeWindow: quarter },
  /** Many addresses may try one account; the window is short, since the person is kept out meanwhile, too. */
  'login of account': { max: 30, timeWindow: 5 * minute },
  /** One address may try many accounts; offices have one. */
  'login of address': { max: 100, timeWindow: quarter },
  flows: { max: 120, timeWindow: minute },
  tokens: { max: 120, timeWindow: minute },
  clients: { max: 30, timeWindow: quarter },
} as const satisfies Record<string, Budget>
