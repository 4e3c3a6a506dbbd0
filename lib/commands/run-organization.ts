import { readDemoFiles } from '../demo/demo-files.ts'
import { CommandFailure } from './command-failure.ts'
import { openOrFail } from './open-or-fail.ts'
import { type OrganizationCommand, parseOrganizationCommand } from './organization.ts'
import { parseOrFail } from './parse-or-fail.ts'

/** Does what the command says and gives the text to print. Throws a CommandFailure for what its user can mend. */
export async function runOrganizationCommand(
  command: OrganizationCommand,
  { DATABASE_URL, DATABASE_URL_FILE, PUBLIC_URL, DATA_DIR, HOST, PORT, AUTH_ISSUER }: NodeJS.ProcessEnv,
): Promise<string> {
  const act = parseOrganizationCommand(command)
  const config = parseOrFail({ DATABASE_URL, DATABASE_URL_FILE, PUBLIC_URL, DATA_DIR, HOST, PORT })
  if (config.databaseUrl !== null && !PUBLIC_URL && command.action !== 'list') {
    throw new CommandFailure('PUBLIC_URL is not set: it is what a link begins with')
  }
  const demo = PUBLIC_URL ? null : await readDemoFiles(config.dataDir)
  // Not migrated here: on a server that is for whoever upgrades it to decide.
  const database = await openOrFail(config, { migrate: false })
  try {
    const publicUrl = demo?.server.publicUrl ?? config.publicUrl
    return await act({ database, publicUrl, outsideServer: AUTH_ISSUER || null })
  } finally {
    await database.close()
  }
}
