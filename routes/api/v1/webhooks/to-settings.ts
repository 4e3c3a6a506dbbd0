import type { WebhookSettings } from '../../../../lib/webhooks/repository.ts'
import type { Api } from '../api.ts'

/** What writing a webhook needs of the process. */
export function toSettings({ config, secretBox }: Api): WebhookSettings {
  return { secretBox, allowPrivate: config.webhookAllowPrivate }
}
