import type { Role } from '@watchline/contracts/people'

/** So many people who met it are believed without anybody else. */
const enough = 2

/**
 * Whether a video is left out of what has to be watched. One trainee alone never frees themselves, or everybody, of a video: YouTube
 * has to say so, somebody of the staff, or somebody else.
 */
export function isConfirmed(finding: {
  /** Everybody who met it, the reporter included. */
  people: ReadonlySet<string>
  reporter: { role: Role }
  goneByYoutube: boolean
}): boolean {
  return finding.goneByYoutube || finding.reporter.role !== 'user' || finding.people.size >= enough
}
