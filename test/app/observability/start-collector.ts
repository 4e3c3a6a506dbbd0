import { createServer } from 'node:http'
import { z } from 'zod'
import { listenLocally } from '../../../bench/scale/listen-locally.ts'
import type { Teardown } from '../support/open-test-database.ts'

const value = z.object({
  stringValue: z.string().optional(),
  intValue: z.coerce.number().optional(),
  boolValue: z.boolean().optional(),
})
const attributes = z.array(z.object({ key: z.string(), value })).default([])
const span = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().optional(),
  name: z.string(),
  kind: z.int(),
  attributes,
  links: z.array(z.object({ traceId: z.string(), spanId: z.string() })).default([]),
  status: z.object({ code: z.int().optional() }).optional(),
})
const request = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes }),
      scopeSpans: z.array(z.object({ spans: z.array(span) })),
    }),
  ),
})

export type CollectedSpan = z.infer<typeof span>

/** What a collector of OpenTelemetry is to its clients: POST /v1/traces, in JSON. */
export interface Collector {
  /** With the path. */
  readonly url: string
  readonly spans: CollectedSpan[]
  readonly services: Set<string>
  /** What the last spans are of. */
  resource: Pick<CollectedSpan, 'attributes'>
}

export async function startCollector(t: Teardown): Promise<Collector> {
  const spans: CollectedSpan[] = []
  const services = new Set<string>()
  const collector = { url: '', spans, services, resource: { attributes: [] } as Collector['resource'] }
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk)
    const { resourceSpans } = request.parse(JSON.parse(Buffer.concat(chunks).toString('utf8')))
    for (const { resource, scopeSpans } of resourceSpans) {
      collector.resource = resource
      services.add(attributeOf(resource, 'service.name') ?? '')
      spans.push(...scopeSpans.flatMap(scope => scope.spans))
    }
    response
      .writeHead(incoming.url === '/v1/traces' ? 200 : 404, { 'content-type': 'application/json' })
      .end('{}')
  })
  const port = await listenLocally(server)
  t.teardown(() => {
    server.close()
    server.closeAllConnections()
  })
  collector.url = `http://127.0.0.1:${port}/v1/traces`
  return collector
}

export function attributeOf(
  { attributes: list }: Pick<CollectedSpan, 'attributes'>,
  key: string,
): string | undefined {
  const found = list.find(attribute => attribute.key === key)?.value
  return found?.stringValue ?? (found?.intValue ?? found?.boolValue)?.toString()
}
