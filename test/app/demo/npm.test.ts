import tap, { test } from 'tap'
import { createDemoLocation } from './fixtures/create-demo-location.ts'
import { startNpmDemo } from './fixtures/start-demo.ts'

tap.setTimeout(240_000)

test('npm run demo serves, and nothing of it is left when npm is told to stop', async t => {
  const demo = startNpmDemo(t, await createDemoLocation(t))
  const url = await demo.listening()
  t.equal((await fetch(`${url}/health`)).status, 200)
  await demo.end('SIGTERM')
  await t.rejects(fetch(`${url}/health`), 'nobody listens any more')
})
