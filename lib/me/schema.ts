import { z } from 'zod'

export const me = z.object({
  id: z.string(),
  email: z.string(),
  name: z.string(),
  organization: z.object({ id: z.string(), name: z.string() }),
  client_id: z
    .string()
    .nullable()
    .describe('The client that the access token was issued to, or the id of the API key.'),
  scopes: z.array(z.string()).describe('What the access token covers; write covers read.'),
  default_workspace_id: z
    .string()
    .nullable()
    .describe('The workspace that requests act on which name none, where one was chosen at consent.'),
  workspaces: z
    .array(
      z.object({
        id: z.string(),
        name: z.string(),
        role: z.enum(['admin', 'operator', 'viewer']),
        permissions: z.array(z.string()).describe('What the role allows there, whatever the token covers.'),
      }),
    )
    .describe('Where the caller may work.'),
})

export type Me = z.infer<typeof me>
