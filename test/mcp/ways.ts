import { type Test, test } from 'tap'

/** The ways in which a tool's route can be reached: the plugin's option `dispatch`. */
export const ways = ['inject', 'direct'] as const

export type Way = (typeof ways)[number]

// `MCP_DISPATCH=direct npm test -- test/mcp` runs everything in the other way.
const usual: Way = process.env.MCP_DISPATCH === 'direct' ? 'direct' : 'inject'
let current = usual

/** The way of the test that is running. */
export function currentWay(): Way {
  return current
}

/** A test that holds in either way: it is run in both, on toys of its own. */
export function testBothWays(name: string, run: (t: Test) => unknown): void {
  for (const way of ways) {
    test(`${name} (${way})`, async t => {
      current = way
      await run(t)
      current = usual
    })
  }
}
