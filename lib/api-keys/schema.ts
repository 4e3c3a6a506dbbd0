import { z } from 'zod'
import { line } from '../fields/line.ts'
import { timestamp } from '../fields/timestamp.ts'
import { idSchema } from '../id/id.ts'
import { allScopes } from '../identity/scopes.ts'
import { pageQuery } from '../paging/schema.ts'

export const apiKeyId = idSchema('key')

export const apiKey = z.object({
  id: z.string(),
  name: z.string(),
  user_id: z.string().describe('Whose key it is: requests with it are theirs.'),
  hint: z.string().describe('How the key begins, to recognize it by.'),
  scopes: z.array(z.string()),
  created_at: timestamp,
  expires_at: timestamp,
  last_used_at: timestamp.nullable().describe('When it was last used, to about a minute; null for never.'),
})

export const apiKeyWithSecret = apiKey.extend({
  key: z.string().describe('The key itself: Authorization: Bearer kbn_…. Keep it: it is not shown again.'),
})

export const newApiKey = z.strictObject({
  name: line(100).describe('What it is for, 1 to 100 characters.'),
  scopes: z
    .array(z.enum(allScopes))
    .min(1)
    .max(allScopes.length)
    .refine(scopes => new Set(scopes).size === scopes.length, 'must not repeat a scope')
    .describe('What it may be used for: some of the scopes of the access token that creates it.'),
  expires_in_days: z.int().min(1).max(365).default(90).describe('Days until it expires, 1 to 365.'),
})

export const apiKeysQuery = z.strictObject({ ...pageQuery })

export const apiKeyPath = z.strictObject({
  id: z.string().describe('The id of the key, key_ and 26 characters, as api_keys_list gives it.'),
})

export type ApiKey = z.infer<typeof apiKey>
export type ApiKeyWithSecret = z.infer<typeof apiKeyWithSecret>
export type NewApiKey = z.infer<typeof newApiKey>
export type ApiKeysQuery = z.infer<typeof apiKeysQuery>
