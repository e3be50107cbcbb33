import { Button } from '@mantine/core'
import type { Role } from '@watchline/contracts/people'
import type { OnlineSummary } from '@watchline/contracts/presence'
import { formatCount } from '../../ui/dates/format.ts'
import listStyles from '../../ui/lists/list.module.css'
import { awaitCounted, describeCounted } from '../../ui/people/online-status.ts'
import styles from './supervision.module.css'

interface OnlineBannerProps {
  viewerRole: Role
  online: { summary?: OnlineSummary; failed: boolean }
  /** Absent if the list is already visible. */
  onShow?: () => void
}

export function OnlineBanner({ viewerRole, online: { summary, failed }, onShow }: OnlineBannerProps) {
  return (
    <div className={styles.banner}>
      <span className={styles.bannerWords}>
        <strong>Who's Online</strong>
        <span>{describeOnline(summary, failed)}</span>
        <span className={summary ? listStyles.dim : styles.awaitedText} aria-hidden={!summary || undefined}>
          {summary ? describeCounted(viewerRole, summary) : awaitCounted(viewerRole)}
        </span>
      </span>
      {onShow ? (
        <Button variant="default" size="xs" onClick={onShow}>
          See who
        </Button>
      ) : null}
    </div>
  )
}

function describeOnline(summary: OnlineSummary | undefined, failed: boolean): string {
  if (!summary) return failed ? 'Not known at the moment' : 'Counting…'
  const { total_online: totalCount, monitoring_count: monitoringCount } = summary
  const count = `${formatCount(totalCount, 'person', 'people')} online${monitoringCount > 0 ? `, ${monitoringCount} monitoring` : ''}`
  return failed ? `${count} a moment ago` : count
}
