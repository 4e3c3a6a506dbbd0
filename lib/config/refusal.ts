/** One error for everything that is wrong with the configuration, each fault beginning with its variable. */
export function refusal(faults: readonly string[]): Error {
  return new Error(`The configuration cannot be used:\n${faults.map(fault => `  ${fault}`).join('\n')}`)
}
