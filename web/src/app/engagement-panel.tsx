import { SegmentedControl, Stack } from '@mantine/core'
import type { ComponentProps } from 'react'
import { useSearchParams } from 'react-router'
import { TasksAtRisk } from '../features/analytics/tasks-at-risk.tsx'
import { TeamAnalytics } from '../features/analytics/team-analytics.tsx'
import { loadable } from '../ui/feedback/loadable.tsx'
import { SkeletonRows } from '../ui/feedback/states.tsx'

const Reports = loadable(
  () => import('../features/reports/reports.tsx').then(module => module.Reports),
  <SkeletonRows rows={6} />,
)

type EngagementPanelProps = ComponentProps<typeof TeamAnalytics> &
  Pick<ComponentProps<typeof TasksAtRisk>, 'reminding' | 'onOpen'> & {
    /** The scope is one team, so teams are not compared. */
    hasOneTeam?: boolean
    /** The name of the scope, for printed reports. */
    scopeName?: string | undefined
    /** A saved report names another scope. */
    onScope?: ComponentProps<typeof Reports>['onScope']
  }

const views = [
  { value: 'people', label: 'People' },
  { value: 'at-risk', label: 'Tasks at risk' },
  { value: 'reports', label: 'Reports' },
]

/**
 * The Engagement tab: people with their figures, tasks at risk, or reports. The address holds the
 * choice.
 */
export function EngagementPanel({
  reminding,
  hasOneTeam = false,
  scopeName,
  onScope,
  ...analytics
}: EngagementPanelProps) {
  const [params, setParams] = useSearchParams()
  const view = views.find(({ value }) => value === params.get('view'))?.value ?? 'people'
  const scope = analytics.scope && { scope: analytics.scope }

  function show(choice: string) {
    setParams(
      current => {
        const next = new URLSearchParams(current)
        for (const name of ['view', 'progress', 'report']) next.delete(name)
        if (choice !== 'people') next.set('view', choice)
        return next
      },
      { replace: true },
    )
  }

  return (
    <Stack gap="md">
      <SegmentedControl
        aria-label="List of the Engagement tab"
        data={views}
        value={view}
        onChange={show}
        w="fit-content"
      />
      {view === 'people' ? <TeamAnalytics {...analytics} /> : null}
      {view === 'at-risk' ? <TasksAtRisk {...scope} reminding={reminding} onOpen={analytics.onOpen} /> : null}
      {view === 'reports' ? (
        <Reports {...scope} scopeName={scopeName} hasOneTeam={hasOneTeam} onScope={onScope} onOpen={analytics.onOpen} />
      ) : null}
    </Stack>
  )
}
