import type { Migration } from 'kysely'
import { organizations } from './0001-organizations.ts'
import { emails } from './0002-emails.ts'
import { operations } from './0003-operations.ts'
import { audit } from './0004-audit.ts'
import { extractionsAndRules } from './0005-extractions-rules.ts'
import { webhooks } from './0006-webhooks.ts'
import { retention } from './0007-retention.ts'
import { apiKeys } from './0008-api-keys.ts'
import { people } from './0009-people.ts'
import { authorization } from './0010-authorization.ts'
import { endAccess } from './0011-end-access.ts'
import { logins } from './0012-logins.ts'
import { auditReferences } from './0013-audit-references.ts'
import { auditLevels } from './0014-audit-levels.ts'
import { auditOrganization } from './0015-audit-organization.ts'

/**
 * Every migration, by name; they run in the order of their names. A map rather than a folder read at run time,
 * so that it works the same from source and from dist. What is released never changes.
 */
export const migrations: Record<string, Migration> = {
  '0001-organizations': organizations,
  '0002-emails': emails,
  '0003-operations': operations,
  '0004-audit': audit,
  '0005-extractions-rules': extractionsAndRules,
  '0006-webhooks': webhooks,
  '0007-retention': retention,
  '0008-api-keys': apiKeys,
  '0009-people': people,
  '0010-authorization': authorization,
  '0011-end-access': endAccess,
  '0012-logins': logins,
  '0013-audit-references': auditReferences,
  '0014-audit-levels': auditLevels,
  '0015-audit-organization': auditOrganization,
}
