import type { MemberAnalytics } from '@watchline/contracts/engagement'
import { limits } from '@watchline/contracts/limits'
import type { OnlineSummary } from '@watchline/contracts/presence'
import { useId, useState } from 'react'
import { findStatus, isComplete } from '../../ui/people/online-status.ts'
import { PersonLine } from '../../ui/people/person-line.tsx'
import { StatusDot } from '../../ui/people/status-dot.tsx'
import { CompletionBar, NoCompletion } from '../../ui/progress/completion-bar.tsx'
import styles from './management.module.css'
import { ReturnSupervisor } from './return-supervisor.tsx'
import { TeamList } from './team-list.tsx'
import { findOnlineMembers, type Team } from './teams.ts'

interface SupervisorRowProps {
  team: Team
  online: OnlineSummary | undefined
  figuresFailed: boolean
  onOpenMember: (member: MemberAnalytics) => void
}

/**
 * A supervisor's status, team size, average completion and online members, above the team itself.
 */
export function SupervisorRow({ team, online, figuresFailed, onOpenMember }: SupervisorRowProps) {
  const teamId = useId()
  const [isOpen, setOpen] = useState(false)
  const { supervisor, totals } = team
  const status = findStatus(supervisor.id, online)
  return (
    <li className={styles.supervisor}>
      <div className={styles.supervisorTop}>
        <button
          type="button"
          className={styles.toggle}
          aria-expanded={isOpen}
          aria-controls={isOpen ? teamId : undefined}
          onClick={() => setOpen(!isOpen)}
        >
          <span className={styles.arrow} aria-hidden="true" />
          <PersonLine
            id={supervisor.id}
            name={supervisor.name}
            detail={supervisor.email}
            verified={supervisor.email_verified}
            picture={supervisor.picture}
          />
        </button>
        <span>{status ? <StatusDot status={status} /> : null}</span>
        <span className={styles.size}>
          {supervisor.user_count ?? totals?.members.length ?? '–'}/{limits.supervisorCapacity} users
        </span>
        <div className={styles.rate}>
          <TeamCompletion team={team} />
        </div>
        <OnlineMembers supervisorId={supervisor.id} online={online} />
      </div>
      {isOpen ? (
        <div id={teamId} className={styles.team}>
          <TeamList team={team} online={online} failed={figuresFailed} onOpenMember={onOpenMember} />
          <ReturnSupervisor supervisor={supervisor} />
        </div>
      ) : null}
    </li>
  )
}

export function TeamCompletion({ team: { supervisor, totals } }: { team: Team }) {
  if (!totals) return <NoCompletion>–</NoCompletion>
  if (totals.averageCompletion === undefined) return <NoCompletion>No team members</NoCompletion>
  return <CompletionBar rate={totals.averageCompletion} label={`Average completion of ${supervisor.name}’s team`} />
}

function OnlineMembers({ supervisorId, online }: { supervisorId: string; online: OnlineSummary | undefined }) {
  const members = findOnlineMembers(supervisorId, online)
  if (!members || !online) return <span className={styles.online}>Online: –</span>
  if (members.length === 0)
    return <span className={styles.online}>{isComplete(online) ? 'Nobody online' : 'Online: –'}</span>
  const names = members.map(({ name }) => name).join(', ')
  return (
    <span className={styles.online} title={names}>
      {members.length} online: {names}
    </span>
  )
}
