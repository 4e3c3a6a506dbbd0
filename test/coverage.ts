import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { projectFile } from './project.ts'

/** The share of lines, in percent, that the tests run, by where a file stands. */
const thresholds: readonly { readonly folder: string; readonly lines: number }[] = [
  { folder: 'plugins/mcp/', lines: 100 },
]

interface Lines {
  readonly total: number
  readonly covered: number
}

/**
 * Holds tap's coverage summary against the thresholds, which tap itself has only as all or nothing; returns what
 * falls short.
 *
 * @param compiled the folder of what ran, from the root
 */
export function findUncovered(compiled: string): readonly string[] {
  const summary: Record<string, { lines: Lines }> = JSON.parse(
    readFileSync(projectFile('.tap/report/coverage-summary.json'), 'utf8'),
  )
  const files = Object.entries(summary)
    .filter(([file]) => file !== 'total')
    .map(([file, { lines }]) => ({
      file: relative(projectFile(compiled), file).replaceAll('\\', '/'),
      lines,
    }))
  return thresholds.flatMap(({ folder, lines: wanted }) => {
    const inside = files.filter(({ file }) => file.startsWith(folder))
    const total = inside.reduce((sum, { lines }) => sum + lines.total, 0)
    const covered = inside.reduce((sum, { lines }) => sum + lines.covered, 0)
    const share = total === 0 ? 0 : (100 * covered) / total
    if (share >= wanted) return []
    const short = inside.filter(({ lines }) => lines.covered < lines.total).map(({ file }) => file)
    const where = `${folder || 'everything'}: ${share.toFixed(2)}% of lines, ${wanted}% wanted`
    return [wanted === 100 ? `${where}: ${short.join(', ')}` : where]
  })
}
