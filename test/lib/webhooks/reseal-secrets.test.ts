import { test } from 'tap'
import { createSecretBox } from '../../../lib/secrets/secret-box.ts'
import { createWebhook } from '../../../lib/webhooks/repository.ts'
import { resealSecrets } from '../../../lib/webhooks/reseal-secrets.ts'
import { rotateSecret } from '../../../lib/webhooks/rotate-secret.ts'
import { toSecretContext } from '../../../lib/webhooks/secret.ts'
import { openTestDatabase } from '../../app/support/open-test-database.ts'
import { seedTwoOrganizations } from '../../app/support/seed-two-organizations.ts'

const [older, newer] = ['the older key, of 32 characters..', 'the newer key, of 32 characters..']

test('once a key was put first, all secrets are sealed with it, and the old key can go', async t => {
  const database = await openTestDatabase(t)
  const { billing, main } = await seedTwoOrganizations(database)
  const secretBox = createSecretBox([older])
  const known = new Map<string, string[]>()
  for (const tenant of [billing, main]) {
    await database.inTenant(tenant, async trx => {
      const webhook = { url: 'https://hooks.example.com/', event_types: ['email.failed' as const] }
      const settings = { secretBox, allowPrivate: false }
      const { id, secret } = await createWebhook(trx, tenant, { webhook, settings })
      const rotated = await rotateSecret(trx, tenant, { id, ifMatch: undefined, overlapHours: 1, secretBox })
      known.set(id, [rotated.secret, secret])
    })
  }

  await resealSecrets(database, createSecretBox([newer, older]))
  const rows = await database.asOwner(trx => trx.selectFrom('webhooks').selectAll().execute())
  t.equal(rows.length, 2)
  const box = createSecretBox([newer])
  for (const { id, workspace_id: workspaceId, secret, previous_secret, version } of rows) {
    const context = toSecretContext({ workspaceId, id })
    t.same(
      [secret, previous_secret ?? ''].map(sealed => box.open(sealed, context)),
      known.get(id),
    )
    t.equal(version, 2, 'which is no edit')
  }

  await resealSecrets(database, box)
  const again = await database.asOwner(trx => trx.selectFrom('webhooks').select('secret').execute())
  t.same(again.map(({ secret }) => secret).sort(), rows.map(({ secret }) => secret).sort(), 'once')
})
