import Fastify, { type FastifyInstance } from 'fastify'
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod'
import { type Test, test } from 'tap'
import { z } from 'zod'
import { mcp } from '../../plugins/mcp/index.ts'
import { call, legacy, readText } from './toy-client.ts'
import { toyOptions } from './toy-notes.ts'
import { describe } from './toy-schemas.ts'
import { currentWay, testBothWays } from './ways.ts'

const dateTime = { type: 'string', format: 'date-time' }
const moment = new Date('2026-03-04T05:06:07.000Z')

const isoDate = z.codec(z.iso.datetime(), z.date(), {
  decode: text => new Date(text),
  encode: date => date.toISOString(),
})
const epoch = z.codec(z.int(), z.date(), { decode: time => new Date(time), encode: date => date.getTime() })
const link = z.codec(z.url(), z.instanceof(URL), { decode: text => new URL(text), encode: url => url.href })

test('dates, big integers and codecs are described as they are sent', async t => {
  const sent = z.object({
    at: z.coerce.date(),
    n: z.coerce.bigint().optional(),
    made: isoDate.optional(),
    link: link.optional(),
  })
  const got = z.object({
    at: z.date(),
    maybe: z.date().nullable(),
    list: z.array(z.coerce.date().optional()),
    made: isoDate.meta({ description: 'When' }),
    epoch: epoch.optional(),
    link,
  })
  const { input, output } = await describe({ body: sent, response: { 200: got } })
  t.same(input.properties, {
    at: dateTime,
    n: { type: 'string', pattern: '^-?\\d+$' },
    made: dateTime,
    link: { type: 'string', format: 'uri' },
  })
  t.same(output?.properties, {
    at: dateTime,
    maybe: { anyOf: [dateTime, { type: 'null' }] },
    list: { type: 'array', items: dateTime },
    made: { ...dateTime, description: 'When' },
    epoch: { type: 'integer' },
    link: { type: 'string', format: 'uri' },
  })
})

test('a codec whose sides both are JSON is either, as the serializer has it', async t => {
  const amount = z.codec(z.string(), z.number(), { decode: Number, encode: String })
  const { acceptsOutput } = await describe({ response: { 200: z.object({ amount, on: z.stringbool() }) } })
  t.equal(acceptsOutput?.({ amount: '1', on: 'true' }), true)
  t.equal(acceptsOutput?.({ amount: 1, on: true }), true)
  t.equal(acceptsOutput?.({ amount: null, on: true }), false)
})

async function createDated(t: Test): Promise<FastifyInstance> {
  const app = Fastify()
  t.teardown(() => app.close())
  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(serializerCompiler)
  await app.register(mcp, { ...toyOptions, permissions: undefined, dispatch: currentWay() })
  const response = z.object({ at: z.date(), made: isoDate, epoch, link, query: z.string() })
  app.get(
    '/moments',
    {
      schema: {
        operationId: 'moment',
        summary: 'A moment',
        querystring: z.object({ since: z.coerce.date(), n: z.coerce.bigint() }),
        response: { 200: response },
      },
      config: { scopes: [], mcp: true },
    },
    async request => {
      const { since, n } = request.query as { since: Date; n: bigint }
      const at = new URL('https://a.test/')
      return { at: moment, made: moment, epoch: moment, link: at, query: `${since.getTime() + 1} ${n + 1n}` }
    },
  )
  return app
}

testBothWays('an API that speaks in dates is exposed as it is', async t => {
  const app = await createDated(t)
  const [tool] = (await legacy(app, 'tools/list')).json().result.tools
  t.same(tool.inputSchema.required, ['since', 'n'])
  const args = { since: moment.toISOString(), n: '9007199254740993' }
  const answer = await call(app, 'moment', args)
  t.same(answer.json().result.structuredContent, {
    at: moment.toISOString(),
    made: moment.toISOString(),
    epoch: moment.getTime(),
    link: 'https://a.test/',
    query: `${moment.getTime() + 1} 9007199254740994`,
  })
  const rest = await app.inject({ url: '/moments', query: args })
  t.equal(JSON.stringify(readText(answer)), rest.body)
})
