/**
 * `npm run bench`: what POST /mcp costs beside REST and beside the official SDKs. Without arguments every section but
 * the soak; `npm run bench -- ways lists --quick` some of them, shortly; `npm run bench -- soak --calls 1000000`.
 * docs/performance.md says what is measured and how to read it.
 */
import { availableParallelism } from 'node:os'
import { compareKept, compareMemory, compareStructured } from './sections/answers.ts'
import { compareProduct } from './sections/product.ts'
import { soak } from './sections/soak.ts'
import { compareTexts } from './sections/text.ts'
import { compareBoots, compareLarge, compareLists, compareSizes } from './sections/tools.ts'
import { compareLatency, compareWays } from './sections/ways.ts'
import { parseSettings, type Settings, usage } from './settings.ts'

const sections: Readonly<Record<string, (settings: Settings) => Promise<void>>> = {
  ways: compareWays,
  latency: compareLatency,
  tools: compareSizes,
  large: compareLarge,
  lists: compareLists,
  structured: compareStructured,
  text: compareTexts,
  memory: compareMemory,
  garbage: compareKept,
  boot: compareBoots,
  product: compareProduct,
  soak,
}

function readSettings(): Settings {
  try {
    return parseSettings(process.argv.slice(2))
  } catch (error) {
    const [reason] = String(error instanceof Error ? error.message : error).split('. ')
    return stop(`${reason}\nsections: ${Object.keys(sections).join(', ')}\n${usage}`)
  }
}

function stop(reason: string): never {
  process.stderr.write(`${reason}\n`)
  process.exit(2)
}

const settings = readSettings()
const usual = Object.keys(sections).filter(name => name !== 'soak')
const chosen = settings.sections.length > 0 ? settings.sections : usual
const unknown = chosen.find(name => !Object.hasOwn(sections, name))
if (unknown !== undefined)
  stop(`there is no section ${unknown}; there are: ${Object.keys(sections).join(', ')}`)
const { rounds, seconds, connections } = settings
process.stdout.write(
  `Node.js ${process.version} on ${availableParallelism()} processors; ${rounds} rounds of ${seconds} s on each way, ${connections} connections\n`,
)
for (const name of chosen) await sections[name]?.(settings)
