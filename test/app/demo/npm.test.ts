import tap, { test } from 'tap'
import { shareDemoLocation } from './fixtures/share-demo-location.ts'
import { startNpmDemo } from './fixtures/start-demo.ts'

tap.setTimeout(420_000)

test('npm run demo serves, and nothing of it is left when npm is told to stop', async t => {
  const demo = startNpmDemo(t, await shareDemoLocation())
  const url = await demo.listening()
  t.equal((await fetch(`${url}/health`)).status, 200)
  await demo.end('SIGTERM')
  await t.rejects(fetch(`${url}/health`), 'nobody listens any more')
})
