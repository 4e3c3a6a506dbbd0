import { checkPermissions } from '../check-caller.ts'
import type { Permissions } from '../declarations.ts'
import type { Outcome } from '../outcome.ts'
import { askApplication } from './ask-application.ts'
import type { MethodContext } from './method.ts'

/** The permissions that filter a list; null where the embedding API has no such model. */
export async function toListPermissions({
  server,
  caller,
  request,
}: MethodContext): Promise<{ readonly permissions: Permissions } | { readonly outcome: Outcome }> {
  const { permissions } = server.options
  if (permissions === undefined) return { permissions: null }
  const asked = await askApplication(async () => checkPermissions(await permissions(caller, request)))
  return 'outcome' in asked ? asked : { permissions: asked.value }
}
