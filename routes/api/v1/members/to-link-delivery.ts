import type { Config } from '../../../../lib/config/config.ts'
import type { LinkDelivery } from '../../../../lib/members/give-link.ts'

/** How links reach people here: by mail where a relay is configured; null where they log in at another server. */
export function toLinkDelivery({ authOutside, publicUrl, mail }: Config): LinkDelivery | null {
  return authOutside ? null : { publicUrl, isMailed: mail !== null }
}
