import { isObject } from '../message.ts'

/** The one input request of a confirmation, and the one field of its form. */
export const inputKey = 'confirmation'
const field = 'confirm'

export type Answer = 'accepted' | 'declined' | 'missing' | 'malformed'

/** True when the client can show a form: `elicitation: {}` means form, `{"url": {}}` alone does not. */
export function canAsk(capabilities: Readonly<Record<string, unknown>>): boolean {
  const { elicitation } = capabilities
  if (!isObject(elicitation)) return false
  return Object.hasOwn(elicitation, 'form') ? isObject(elicitation.form) : !Object.hasOwn(elicitation, 'url')
}

/**
 * Reads the person's answer out of `inputResponses`. Only accept with the boolean true is a yes; what the form did
 * not ask for is ignored (MCP 2026-07-28, client/elicitation, Response Actions).
 */
export function parseAnswer(inputResponses: unknown): Answer {
  if (inputResponses === undefined) return 'missing'
  if (!isObject(inputResponses)) return 'malformed'
  const response = Object.hasOwn(inputResponses, inputKey) ? inputResponses[inputKey] : undefined
  if (response === undefined) return 'missing'
  if (!isObject(response)) return 'malformed'
  if (response.action === 'decline' || response.action === 'cancel') return 'declined'
  if (response.action !== 'accept' || !isObject(response.content)) return 'malformed'
  const said = response.content[field]
  if (typeof said !== 'boolean') return 'malformed'
  return said ? 'accepted' : 'declined'
}

/** The members of an `input_required` result: one question with a boolean, and the state to send back with it. */
export function toInputRequired(message: string, requestState: string): string {
  const inputRequests = {
    [inputKey]: {
      method: 'elicitation/create',
      params: {
        mode: 'form',
        message,
        requestedSchema: {
          type: 'object',
          properties: {
            [field]: { type: 'boolean', title: 'Yes, do it', description: message, default: false },
          },
          required: [field],
        },
      },
    },
  }
  return `"inputRequests":${JSON.stringify(inputRequests)},"requestState":${JSON.stringify(requestState)}`
}
