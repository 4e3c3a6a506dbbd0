import type { Config } from '../../../../lib/config/config.ts'
import type { LinkDelivery } from '../../../../lib/members/give-link.ts'

/** How links reach people here: by mail where a relay is configured. */
export function toLinkDelivery({ publicUrl, mail }: Config): LinkDelivery {
  return { publicUrl, isMailed: mail !== null }
}
