import { noQuery } from '../../../../lib/fields/no-query.ts'
import { agentGuide } from '../../../../lib/guide/agent-guide.ts'
import type { Api } from '../api.ts'

export function guideGet(app: Api): void {
  app.route({
    method: 'GET',
    url: '/guide',
    schema: {
      operationId: 'guide_get',
      summary: 'Read the guide for agents',
      description: [
        'The guide to the inbox for agents, in Markdown: what there is, how to find and read e-mails, what to',
        'take as data, and how destructive actions are confirmed. It is the same for everybody.',
      ].join(' '),
      tags: ['guide'],
      querystring: noQuery,
      produces: ['text/markdown'],
    },
    config: {
      scopes: [],
      tenancy: 'organization',
      mcp: {
        tool: false,
        resource: {
          uri: 'kobana://inbox/guide',
          name: 'guide',
          title: 'Guide to the inbox for agents',
          mimeType: 'text/markdown',
          size: Buffer.byteLength(agentGuide),
        },
      },
    },
    handler: async (_request, reply) => {
      reply.type('text/markdown; charset=utf-8')
      return agentGuide
    },
  })
}
