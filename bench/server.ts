/** The process under load: listens on a free loopback port and says where. Ends with its parent. */
import { createBenchApp } from './bench-app.ts'

const { app, token } = await createBenchApp()
const url = await app.listen({ host: '127.0.0.1', port: 0 })
process.send?.({ url, token })
process.on('disconnect', () => process.exit(0))
