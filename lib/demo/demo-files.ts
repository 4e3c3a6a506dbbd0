import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { writeJson } from './write-json.ts'

const serverSchema = z.object({ publicUrl: z.url(), issuer: z.string().min(1) })
const peopleSchema = z.record(z.string(), z.string())

/** Where the demo that last used a data directory serves, and who issues its tokens. */
export type DemoServer = z.infer<typeof serverSchema>
/** User ids by e-mail address. */
export type DemoPeople = z.infer<typeof peopleSchema>

/**
 * What a running demo tells the token command through its data directory, because the embedded database is
 * open to one process only: `server.json` and `people.json`.
 */
export async function writeDemoServer(dataDir: string, server: DemoServer): Promise<void> {
  await writeJson(join(dataDir, 'server.json'), server)
}

export async function writeDemoPeople(dataDir: string, people: DemoPeople): Promise<void> {
  await writeJson(join(dataDir, 'people.json'), people)
}

/** Both files, or null where no demo has been started in the directory yet. */
export async function readDemoFiles(
  dataDir: string,
): Promise<{ server: DemoServer; people: DemoPeople } | null> {
  const server = await readJson(join(dataDir, 'server.json'), serverSchema)
  const people = await readJson(join(dataDir, 'people.json'), peopleSchema)
  return server && people ? { server, people } : null
}

async function readJson<T>(path: string, schema: z.ZodType<T>): Promise<T | null> {
  const text = await readIfThere(path)
  if (text === null) return null
  try {
    return schema.parse(JSON.parse(text))
  } catch (error) {
    throw new Error(`${path} cannot be used: remove it and start the demo again`, { cause: error })
  }
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}
