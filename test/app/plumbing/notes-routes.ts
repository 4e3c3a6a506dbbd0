import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyInstance, FastifyPluginAsync, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Database } from '../../../lib/database/database.ts'
import { createId } from '../../../lib/id/id.ts'
import { problem } from '../../../lib/problem/problem.ts'

const answer = z.strictObject({ data: z.strictObject({ id: z.string(), run: z.number() }) })

/** How often the handlers ran, whatever became of what they did. */
export interface Runs {
  count: number
}

/**
 * Routes that leave something behind in the database (an inbox, there being a table for it) and then answer,
 * fail, or take their time.
 */
export function createNotesRoutes(runs: Runs): FastifyPluginAsync {
  const config = { scopes: ['inboxes:write'], permission: 'inboxes:write' }

  return async app => {
    app.addContentTypeParser('message/rfc822', { parseAs: 'buffer' }, (_request, body, done) =>
      done(null, body),
    )

    app.post(
      '/notes',
      { ...declare('notes_create'), config: { ...config, mcp: true } },
      async (request, reply) => {
        const data = await add(request, runs)
        return reply
          .code(201)
          .header('location', `/api/v1/notes/${data.id}`)
          .header('etag', '"1"')
          .send({ data })
      },
    )
    app.put('/notes', { ...declare('notes_put'), config }, async request => ({
      data: await add(request, runs),
    }))
    app.post('/slow-notes', { config }, async request => {
      const data = await add(request, runs)
      await delay(300)
      return { data }
    })
    app.post('/raw-notes', { config }, async request => ({ data: await add(request, runs) }))
    app.post('/forgiving-notes', { config }, async request => {
      const data = await add(request, runs)
      const taken = { ...toRow(request, createId('inb')), id: data.id }
      const failed = await request
        .transact(trx => trx.insertInto('inboxes').values(taken).execute())
        .catch(() => null)
      await add(request, runs)
      return { data, failed }
    })
    app.post('/refused-notes', { config }, async request => {
      const { run } = await add(request, runs)
      throw problem('conflict', `Refused in run ${run}.`)
    })
    app.post('/broken-notes', { config }, async (request, reply) => {
      const data = await add(request, runs)
      if (data.run % 2 === 1) throw new Error('broken')
      return reply.code(201).send({ data })
    })
    app.post('/limited-notes', { config }, async request => {
      await add(request, runs)
      throw problem('rate_limited', 'Not now.')
    })
    app.post('/wrongly-printed-notes', { config, schema: { response: { 200: answer } } }, async request => {
      await add(request, runs)
      return { data: {} }
    })
    const destructive = { ...config, mcp: { destructive: true } }
    app.delete('/notes/:id', { ...declareDelete(), config: destructive }, async (request, reply) => {
      await remove(request, runs)
      reply.code(204)
    })
  }
}

/** How many notes there are, in all workspaces. */
export async function countNotes(database: Database): Promise<number> {
  const rows = await database.asOwner(trx => trx.selectFrom('inboxes').select('id').execute())
  return rows.length
}

/** How many answers are kept, in all workspaces. */
export async function countKept(database: Database): Promise<number> {
  const rows = await database.asOwner(trx => trx.selectFrom('idempotency_keys').select('id').execute())
  return rows.length
}

export function toPort(app: FastifyInstance): number {
  const address = app.server.address()
  return typeof address === 'object' && address ? address.port : 0
}

function declare(operationId: string) {
  return {
    schema: {
      operationId,
      summary: operationId,
      querystring: z.strictObject({ a: z.string().optional(), b: z.string().optional() }),
      headers: z.object({ 'idempotency-key': z.string().optional() }),
      body: z.strictObject({ title: z.string().optional(), labels: z.array(z.string()).default([]) }),
      response: { '2xx': answer },
    },
  }
}

function declareDelete() {
  return {
    schema: {
      operationId: 'notes_delete',
      summary: 'notes_delete',
      params: z.strictObject({ id: z.string() }),
      headers: z.object({ 'idempotency-key': z.string().optional() }),
      response: { 204: z.null() },
    },
  }
}

async function add(request: FastifyRequest, runs: Runs): Promise<{ id: string; run: number }> {
  runs.count += 1
  const run = runs.count
  const id = createId('inb')
  await request.transact(trx => trx.insertInto('inboxes').values(toRow(request, id)).execute())
  return { id, run }
}

function toRow({ tenant }: FastifyRequest, id: string) {
  const { organizationId: organization_id, workspaceId: workspace_id } = tenant
  return { id, organization_id, workspace_id, address: `${id}@notes.test`, name: 'note' }
}

async function remove(request: FastifyRequest, runs: Runs): Promise<void> {
  runs.count += 1
  const { id } = z.object({ id: z.string() }).parse(request.params)
  const [result] = await request.transact(trx => trx.deleteFrom('inboxes').where('id', '=', id).execute())
  if (result?.numDeletedRows !== 1n) throw problem('not_found', 'There is no such note.')
}
