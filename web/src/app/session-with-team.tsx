import { Button } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import type { MemberAnalytics } from '@watchline/contracts/engagement'
import { limits } from '@watchline/contracts/limits'
import type { Role } from '@watchline/contracts/people'
import { type ComponentProps, useState } from 'react'
import { MemberDrawer } from '../features/analytics/member-drawer.tsx'
import { TeamWatch } from '../features/analytics/team-watch.tsx'
import { useTeamPanelChime } from '../features/notifications/sound/use-chime.ts'
import { phone } from '../features/player/session/monitored-session.tsx'
import { useOnline } from '../features/presence/use-online.ts'
import { SessionScreen } from './session-screen.tsx'
import styles from './session-with-team.module.css'

type Member = Pick<MemberAnalytics, 'user_id' | 'name' | 'email'>

type SessionWithTeamProps = Omit<ComponentProps<typeof SessionScreen>, 'firstTabs'> & { person: { role: Role } }

/**
 * The split screen of staff: the live team on the left, the player on the right; on a phone, tabs.
 */
export function SessionWithTeam(props: SessionWithTeamProps) {
  const [isOpen, setIsOpen] = useState(true)
  const [member, setMember] = useState<Member>()
  const isPhone = useMediaQuery(phone, false, { getInitialValueInEffect: false })
  return (
    <>
      <div className={styles.split} data-open={(isOpen && !isPhone) || undefined}>
        {isPhone ? null : (
          <section className={styles.team} aria-label="Team Monitoring">
            <div className={styles.head}>
              <h2 className={styles.title}>Team Monitoring</h2>
              <Button
                variant="default"
                size="xs"
                aria-expanded={isOpen}
                aria-controls="wl-team-watch"
                onClick={() => setIsOpen(!isOpen)}
              >
                {isOpen ? 'Hide team' : 'Show team'}
              </Button>
            </div>
            <div id="wl-team-watch" className={styles.content} data-two-line-names hidden={!isOpen}>
              {isOpen ? <Team viewerRole={props.person.role} onOpen={setMember} /> : null}
            </div>
          </section>
        )}
        <div className={styles.player}>
          <SessionScreen
            {...props}
            firstTabs={
              isPhone ? [['Team', <Team key="team" viewerRole={props.person.role} onOpen={setMember} />]] : undefined
            }
          />
        </div>
      </div>
      <MemberDrawer member={member} onClose={() => setMember(undefined)} />
    </>
  )
}

function Team({ viewerRole, onOpen }: { viewerRole: Role; onOpen: (member: Member) => void }) {
  useTeamPanelChime()
  return <TeamWatch viewerRole={viewerRole} online={useOnline(limits.onlinePanelPollMs)} onOpen={onOpen} />
}
