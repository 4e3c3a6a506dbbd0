/**
 * Loaded with `--import` before the conformance suite, on Node.js 20 only.
 *
 * The suite is one bundled module whose first lines import `globSync` from `fs`. Node.js 20 has no
 * such export, and a module that imports a missing name does not start, although only the suite's
 * tier-check command, which is never run here, would call it. The hook answers that one import with
 * the real `fs` plus a `globSync` that says so.
 */
import { register } from 'node:module'

const fsWithGlobSync = `
export * from 'node:fs'
export { default } from 'node:fs'
export function globSync() {
  throw new Error('fs.globSync needs Node.js 22')
}
`

const hook = `
export async function resolve(specifier, context, next) {
  const fromSuite = context.parentURL?.includes('/@modelcontextprotocol/conformance/dist/')
  if (specifier !== 'fs' || !fromSuite) return next(specifier, context)
  return { url: ${JSON.stringify(toModuleUrl(fsWithGlobSync))}, shortCircuit: true }
}
`

register(toModuleUrl(hook))

function toModuleUrl(source) {
  return `data:text/javascript,${encodeURIComponent(source)}`
}
