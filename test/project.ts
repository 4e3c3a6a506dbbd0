import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Where package.json, docs and the sources are: the tests themselves may run from their compiled copy. */
export const projectRoot = findRoot(new URL('.', import.meta.url))

const codeRoot = new URL('..', import.meta.url)
const isCompiled = import.meta.url.endsWith('.js')

/** A file of the project, by its path from the root. */
export function projectFile(path: string): string {
  return fileURLToPath(new URL(path, projectRoot))
}

/**
 * What Node.js runs tests with: WebAssembly, of which the embedded database is made, is compiled as quickly as can be and
 * not once more for speed, which costs every process seconds that few of them live to see come back.
 */
export const nodeFlags: readonly string[] = ['--liftoff-only']

/**
 * The arguments with which Node.js runs a program of the project, given by its source's path from the root: the
 * compiled program where the tests are compiled, else the source.
 */
export function toProgram(source: string): readonly string[] {
  const file = modulePath(source)
  return isCompiled ? [...nodeFlags, file] : ['--import', 'tsx', file]
}

/** A module of the project as the tests load it, by its source's path from the root. */
export function modulePath(source: string): string {
  return fileURLToPath(new URL(isCompiled ? source.replace(/\.ts$/, '.js') : source, codeRoot))
}

function findRoot(folder: URL): URL {
  if (existsSync(new URL('package-lock.json', folder))) return folder
  const parent = new URL('..', folder)
  if (parent.href === folder.href) throw new Error('package-lock.json is in no folder above the tests')
  return findRoot(parent)
}
