import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** Whether a process with this pid exists, whoever it belongs to. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/**
 * When a process started, as text that differs for the next process with the same pid, on this boot or
 * another. Empty where the system does not tell.
 */
export function readStartTime(pid: number): string {
  try {
    return process.platform === 'linux' ? readFromProc(pid) : readFromPs(pid)
  } catch {
    return ''
  }
}

/** Field 22 of proc(5) stat, in ticks since boot. The second field may hold spaces and parentheses. */
function readFromProc(pid: number): string {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const ticks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${ticks}`
}

function readFromPs(pid: number): string {
  return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: 2_000,
    env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' },
  }).trim()
}
