import { type Config, parseConfig } from '../config/config.ts'
import { toFailure } from './command-failure.ts'

/** The configuration of a command; what is wrong with it becomes a CommandFailure. */
export function parseOrFail(env: NodeJS.ProcessEnv): Config {
  try {
    return parseConfig(env)
  } catch (error) {
    throw toFailure(error)
  }
}
