import { generateKeyPairSync } from 'node:crypto'
import { createSigner, createVerifier } from 'fast-jwt'
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import { mcp } from '../plugins/mcp/index.ts'
import { addRoutes } from './bench-routes.ts'
import { registerByHand } from './by-hand.ts'
import { registerConstant } from './constant.ts'
import { registerSdkV1 } from './sdk-v1.ts'
import { registerSdkV2 } from './sdk-v2.ts'

/**
 * How the routes are reached: over REST alone, by this plugin in either way, or as the SDKs' documentation has it; or not
 * at all, with an answer that is always the same, or with what one route does written once more.
 */
export type Way =
  | 'rest'
  | 'constant'
  | 'by hand'
  | 'inject'
  | 'direct'
  | 'sdk-v1'
  | 'sdk-v2'
  | 'sdk-v2-loopback'

export interface BenchApp {
  readonly app: FastifyInstance
  readonly token: string
}

/** One app with so many routes in memory, and one way to reach them beside REST. */
export async function createBenchApp(way: Way, tools: number): Promise<BenchApp> {
  const { authenticate, token } = createTokens()
  const app = Fastify({ logger: false })
  if (way === 'constant') {
    const whole = await createBenchApp('direct', tools)
    await registerConstant(app, { whole: whole.app, token: whole.token })
    await whole.app.close()
  }
  if (way === 'by hand') registerByHand(app, { authenticate })
  if (way === 'inject' || way === 'direct') {
    const serverInfo = { name: 'bench', version: '1.0.0' }
    await app.register(mcp, { serverInfo, authenticate, dispatch: way, pageSize: 1_000 })
  }
  // Routes ask for it, and only the plugin has it.
  else app.decorateRequest('mcp', null)
  if (way === 'sdk-v1') registerSdkV1(app, { authenticate, tools })
  if (way === 'sdk-v2') registerSdkV2(app, { authenticate, tools, isLoopback: false })
  if (way === 'sdk-v2-loopback') registerSdkV2(app, { authenticate, tools, isLoopback: true })
  addRoutes(app, { tools, authenticate })
  await app.ready()
  return { app, token }
}

function createTokens() {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const key = publicKey.export({ type: 'spki', format: 'pem' }).toString()
  const verify = createVerifier({ key, algorithms: ['EdDSA'], cache: true, allowedIss: 'bench' })
  const sign = createSigner({
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    algorithm: 'EdDSA',
    iss: 'bench',
    sub: 'usr_bench',
  })
  const scopes = ['emails:read']
  const authenticate = (request: FastifyRequest) => {
    const { sub }: { sub: string } = verify(request.headers.authorization?.slice('Bearer '.length) ?? '')
    return { id: sub, clientId: 'bench', scopes }
  }
  return { authenticate, token: sign({ scope: 'emails:read' }) }
}
