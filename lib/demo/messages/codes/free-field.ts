import { toMod10 } from './mod10.ts'
import { toMod11 } from './mod11.ts'

export interface BankAccount {
  bank: '001' | '033' | '237' | '341'
  /** Four digits. */
  branch: string
  /** Five digits, without its check digit. */
  account: string
}

/** The 25 digits in which each bank places account and title number (`title`, up to eight digits). */
export function toFreeField(account: BankAccount, title: number): string {
  return layouts[account.bank](account, String(title).padStart(8, '0'))
}

const layouts: Record<BankAccount['bank'], (account: BankAccount, title: string) => string> = {
  // Banco do Brasil, seven-digit agreement: zeros, agreement, title, portfolio 17.
  '001': ({ account }, title) => `00000030${account}00${title}17`,
  // Santander: 9, beneficiary, title and its digit, zero, portfolio 101.
  '033': ({ account }, title) => `900${account}0000${title}${toMod11(title)}0101`,
  // Bradesco: branch, portfolio 09, title, account, zero.
  '237': ({ branch, account }, title) => `${branch}09000${title}00${account}0`,
  // Itaú: portfolio 109, title and its digit, branch, account and its digit, zeros.
  '341': ({ branch, account }, title) => {
    const titleDigit = toMod10(`${branch}${account}109${title}`)
    return `109${title}${titleDigit}${branch}${account}${toMod10(branch + account)}000`
  },
}
