import type { Database } from '../../../lib/database/database.ts'
import type { DeliveryJob } from '../../../lib/jobs/queues.ts'
import { createGuardedAgent } from '../../../lib/network/guarded-agent.ts'
import { createSecretBox } from '../../../lib/secrets/secret-box.ts'
import { deliver } from '../../../lib/webhooks/deliver.ts'
import { secretsKey } from '../plumbing/start-app.ts'
import { hastySchedule } from './start-webhooks.ts'

/** One run of a job, as the worker makes it. */
export async function processDelivery(database: Database, job: DeliveryJob): Promise<void> {
  const dispatcher = createGuardedAgent({ allowPrivate: true })
  await deliver(database, job, {
    secretBox: createSecretBox([secretsKey]),
    sender: { dispatcher, deadline: 2_000 },
    schedule: hastySchedule,
  })
  await dispatcher.destroy()
}
