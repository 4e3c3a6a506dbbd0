/** Something that whoever typed a command can mend: its message is printed alone, without a stack. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure'
}

/**
 * What went wrong with the configuration or the database, as a failure of the command: that is for whoever
 * typed it to mend. An error of several attempts has its text in them and none of its own.
 */
export function toFailure(error: unknown, beginning = ''): CommandFailure {
  const causes = error instanceof AggregateError && error.message === '' ? error.errors : [error]
  const messages = causes.map(cause => (cause instanceof Error ? cause.message : String(cause)))
  return new CommandFailure(beginning + [...new Set(messages)].join('\n'), { cause: error })
}
