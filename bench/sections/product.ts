import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { issueToken } from '../../lib/demo/issue-token.ts'
import { type Load, load } from '../load.ts'
import { median, warm } from '../measure.ts'
import { printFigure, printTitle } from '../print.ts'
import { createDatabase } from '../scale/create-database.ts'
import { startProgram } from '../scale/start-program.ts'
import type { Settings } from '../settings.ts'
import { ask, toRest, toRpc } from '../target.ts'

/** The product's `emails_list` over the demo's data: the embedded database, and PostgreSQL where there is one. */
export async function compareProduct(settings: Settings): Promise<void> {
  printTitle('emails_list of the product, on the embedded database')
  await compareOn(settings, {})
  printTitle('emails_list of the product, on PostgreSQL')
  const { DATABASE_URL: serverUrl } = process.env
  if (!serverUrl) {
    process.stdout.write('- skipped: DATABASE_URL is not set\n')
    return
  }
  const database = await createDatabase(serverUrl)
  try {
    await compareOn(settings, { DATABASE_URL: database.url })
  } finally {
    await database.drop()
  }
}

async function compareOn(settings: Settings, env: Readonly<Record<string, string>>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'kobana-inbox-bench-'))
  const program = await startProgram({
    args: ['compile.mjs', 'cli.js', 'demo'],
    env: {
      ...env,
      DATA_DIR: folder,
      PORT: '0',
      SMTP_PORT: '0',
      RATE_LIMIT_MAX: '1000000',
      LOG_LEVEL: 'error',
    },
    isReady: /(http:\/\/127\.0\.0\.1:\d+)\/api\/v1/,
  })
  try {
    await compareCalls(settings, program.told, folder)
  } finally {
    await program.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function compareCalls(settings: Settings, url: string, folder: string): Promise<void> {
  const user = 'bruno@acme.test'
  const rest = {
    token: await issueToken({ user, audience: 'api' }, folder),
    target: toRest('/api/v1/emails?limit=20'),
  }
  const params = { name: 'emails_list', arguments: { limit: 20 } }
  const agent = {
    token: await issueToken({ user, audience: 'mcp' }, folder),
    target: toRpc('tools/call', params, '2026-07-28'),
  }
  const text = JSON.parse(await ask(url, agent.token, agent.target)).result?.content?.[0]?.text
  if (text !== (await ask(url, rest.token, rest.target)) || JSON.parse(text).data.length !== 20)
    throw new Error('the tool does not answer what the route does')
  const ways = [rest, agent].map(way => ({ ...settings, url, ...way }))
  for (const way of ways) await warm(way, settings)
  const rounds: Load[][] = []
  for (let round = 0; round < settings.rounds; round++) {
    const pair: Load[] = []
    for (const way of ways) pair.push(await load(way))
    rounds.push(pair)
  }
  const of = (index: number, figure: 'throughput' | 'p50') =>
    rounds.map(pair => pair[index]?.[figure] ?? Number.NaN)
  printFigure({ name: 'REST, calls a second', value: median(of(0, 'throughput')) })
  printFigure({ name: 'POST /mcp, calls a second', value: median(of(1, 'throughput')) })
  const shares = of(1, 'throughput').map((value, round) => value / (of(0, 'throughput')[round] ?? Number.NaN))
  printFigure({ name: 'share of REST', value: median(shares), atLeast: 0.8 })
}
