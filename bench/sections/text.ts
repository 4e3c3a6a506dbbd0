import { printMessage, toTextMessage } from '../../plugins/mcp/text/text-message.ts'
import { messages } from '../bench-routes.ts'
import { median } from '../measure.ts'
import { printFigure, printTitle } from '../print.ts'
import type { Settings } from '../settings.ts'

const calls = 20_000

/** The message of one page of the list, by what every engine has and by what copies it, in turns in this process. */
export async function compareTexts({ rounds }: Settings): Promise<void> {
  printTitle('The message of a result of 3.6 KB')
  // As in nearly every server: once any memory was transferred, V8 checks for it wherever bytes are read.
  const transferred = new ArrayBuffer(8)
  structuredClone(transferred, { transfer: [transferred] })
  const page = { data: messages.slice(0, 20), meta: { next_cursor: null } }
  const result = { text: JSON.stringify(page), isStructured: true, isError: false }
  const more = '"resultType":"complete"'
  if (!toTextMessage(1, result, more).equals(printMessage(1, result, more)))
    throw new Error('the two messages differ')
  const time = (work: typeof printMessage) => {
    const startedAt = performance.now()
    for (let call = 0; call < calls; call++) work(call, result, more)
    return ((performance.now() - startedAt) / calls) * 1_000
  }
  time(printMessage)
  time(toTextMessage)
  const pairs = Array.from({ length: rounds }, () => [time(printMessage), time(toTextMessage)] as const)
  printFigure({
    name: 'printed by JSON.stringify',
    value: median(pairs.map(([printed]) => printed)),
    unit: ' µs',
  })
  printFigure({ name: 'copied', value: median(pairs.map(([, copied]) => copied)), unit: ' µs' })
  const ratio = median(pairs.map(([printed, copied]) => printed / copied))
  printFigure({ name: 'printed, times copied', value: ratio })
}
