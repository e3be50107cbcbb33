import type { Playlist } from '@watchline/contracts/playlists'
import { countAssignees } from '../../../api/assignees.ts'
import { useReadOwnSupervisorsQuery } from '../../../api/lists.ts'
import { formatCount } from '../../../ui/dates/format.ts'
import listStyles from '../../../ui/lists/list.module.css'
import { PersonLine } from '../../../ui/people/person-line.tsx'
import styles from '../playlists.module.css'

/** The supervisors who share the playlist, in the manager's open playlist. */
export function SharedWith({ playlist }: { playlist: Playlist }) {
  const { data } = useReadOwnSupervisorsQuery()
  const sharedIds = new Set(playlist.shared_with)
  const supervisors = data?.filter(({ id }) => sharedIds.has(id)) ?? []
  const unlistedCount = sharedIds.size - supervisors.length
  const assigneeCount = countAssignees(playlist)
  return (
    <section aria-label="Shared with">
      <h3 className={styles.section}>
        Shared with {sharedIds.size === 0 ? 'nobody yet' : formatCount(sharedIds.size, 'supervisor')}
      </h3>
      <ul className={styles.lines}>
        {supervisors.map(supervisor => (
          <li key={supervisor.id} className={styles.line}>
            <span className={styles.grow}>
              <PersonLine
                id={supervisor.id}
                name={supervisor.name}
                detail={supervisor.email}
                verified={supervisor.email_verified}
                picture={supervisor.picture}
              />
            </span>
          </li>
        ))}
      </ul>
      {data && unlistedCount > 0 ? (
        <p className={listStyles.dim}>
          {supervisors.length > 0 ? 'and ' : ''}
          {formatCount(unlistedCount, 'supervisor')} not in this list
        </p>
      ) : null}
      {assigneeCount > 0 ? (
        <p className={listStyles.dim}>They have assigned it to {formatCount(assigneeCount, 'person', 'people')}.</p>
      ) : null}
    </section>
  )
}

/** The supervisors of a playlist in a list: the first name and the number of others. */
export function useSharedNames(isEnabled: boolean): (playlist: Playlist) => { short: string; full: string } {
  const { data } = useReadOwnSupervisorsQuery(undefined, { skip: !isEnabled })
  const names = new Map(data?.map(({ id, name }) => [id, name]))
  return ({ shared_with }) => {
    if (shared_with.length === 0) return { short: 'Nobody yet', full: 'Nobody yet' }
    const knownNames = shared_with.map(id => names.get(id)).filter(name => name !== undefined)
    if (knownNames.length === 0)
      return { short: String(shared_with.length), full: formatCount(shared_with.length, 'supervisor') }
    const moreCount = shared_with.length - 1
    return {
      short: moreCount > 0 ? `${knownNames[0]} +${moreCount}` : (knownNames[0] ?? ''),
      full: [
        ...knownNames,
        ...(knownNames.length < shared_with.length ? [`${shared_with.length - knownNames.length} more`] : []),
      ].join(', '),
    }
  }
}
