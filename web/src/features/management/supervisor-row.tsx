import type { MemberAnalytics } from '@watchline/contracts/engagement'
import { limits } from '@watchline/contracts/limits'
import type { OnlineSummary } from '@watchline/contracts/presence'
import { useId, useState } from 'react'
import { CompletionBar, NoCompletion } from '../../ui/completion-bar.tsx'
import { PersonLine } from '../../ui/person-line.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'
import styles from './management.module.css'
import { TeamList } from './team-list.tsx'
import { isWhole, onlineOf, statusOf, type Team } from './teams.ts'

interface SupervisorRowProps {
  team: Team
  online: OnlineSummary | undefined
  figuresFailed: boolean
  onOpenMember: (member: MemberAnalytics) => void
}

/** A supervisor in one row: who, how full and how far the team is, who of it is online. It opens to the team. */
export function SupervisorRow({ team, online, figuresFailed, onOpenMember }: SupervisorRowProps) {
  const teamId = useId()
  const [open, setOpen] = useState(false)
  const { supervisor, figures } = team
  const status = statusOf(supervisor.id, online)
  return (
    <li className={styles.supervisor}>
      <div className={styles.supervisorTop}>
        <button
          type="button"
          className={styles.fold}
          aria-expanded={open}
          aria-controls={open ? teamId : undefined}
          onClick={() => setOpen(!open)}
        >
          <span className={styles.arrow} aria-hidden="true" />
          <PersonLine name={supervisor.name} detail={supervisor.email} picture={supervisor.picture} />
        </button>
        {status ? <StatusDot status={status} /> : null}
        <span className={styles.size}>
          {supervisor.user_count ?? figures?.members.length ?? '–'}/{limits.supervisorCapacity} users
        </span>
        <div className={styles.rate}>
          <TeamCompletion team={team} />
        </div>
        <WhoIsOnline supervisorId={supervisor.id} online={online} />
      </div>
      {open ? (
        <div id={teamId} className={styles.team}>
          <TeamList team={team} online={online} failed={figuresFailed} onOpenMember={onOpenMember} />
        </div>
      ) : null}
    </li>
  )
}

export function TeamCompletion({ team: { supervisor, figures } }: { team: Team }) {
  if (!figures) return <NoCompletion>–</NoCompletion>
  if (figures.averageCompletion === undefined) return <NoCompletion>Nobody in the team</NoCompletion>
  return <CompletionBar rate={figures.averageCompletion} label={`Average completion of ${supervisor.name}’s team`} />
}

function WhoIsOnline({ supervisorId, online }: { supervisorId: string; online: OnlineSummary | undefined }) {
  const people = onlineOf(supervisorId, online)
  if (!people || !online) return <span className={styles.online}>Online: –</span>
  if (people.length === 0)
    return <span className={styles.online}>{isWhole(online) ? 'Nobody online' : 'Online: –'}</span>
  const names = people.map(({ name }) => name).join(', ')
  return (
    <span className={styles.online} title={names}>
      {people.length} online: {names}
    </span>
  )
}
