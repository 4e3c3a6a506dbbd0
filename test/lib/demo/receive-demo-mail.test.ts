import { once } from 'node:events'
import { createServer } from 'node:net'
import { test } from 'tap'
import { findPort, smtpNames } from '../../../lib/demo/find-port.ts'
import { receiveDemoMail } from '../../../lib/demo/receive-demo-mail.ts'
import { openTestDatabase } from '../../app/support/open-test-database.ts'
import { silent } from '../jobs/support/start-jobs.ts'
import { connectClient } from '../mail/smtp/support/smtp-client.ts'

test('mail is taken in at another port where the usual one is taken, unless a port was asked for', async t => {
  const database = await openTestDatabase(t)
  // Whoever has it, this test or another program on this machine, it is taken.
  const taken = createServer().listen(2525, '127.0.0.1')
  await once(taken, 'listening').catch(() => {})
  t.teardown(() => taken.close())

  const host = '127.0.0.1'
  const smtp = { host, port: null, name: 'mx.inbox.test', maxClients: 10, certificate: null }
  const options = { database, log: silent, maxMessageBytes: 100_000 }
  const listener = await receiveDemoMail({ ...options, smtp })
  t.teardown(() => listener.close())
  t.not(listener.port, 2525)
  t.match(await (await connectClient(t, listener.port)).reply(), /^220 /)

  const { port } = listener
  await t.rejects(receiveDemoMail({ ...options, smtp: { ...smtp, port } }), { code: 'EADDRINUSE' })
  await t.rejects(findPort(host, port, smtpNames), {
    name: 'CommandFailure',
    message: `Something else listens on port ${port} of 127.0.0.1. Stop it, or choose another port, such as SMTP_PORT=${port + 1}.`,
  })
})
