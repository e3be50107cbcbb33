import type { DetailView } from '@watchline/contracts/privacy'
import { formatExactTime } from '../dates/format.ts'
import styles from './detail-view-list.module.css'

const viewedParts: Record<DetailView['what'], string> = {
  record: 'tasks, exceptions or watch record',
  team_export: 'tasks and watch record, in a file about the team',
  all_data: 'all that is recorded, as a file',
}

/** One line for each viewer, day and kind of look. */
export function DetailViewList({ views }: { views: readonly DetailView[] }) {
  return (
    <ul className={styles.list}>
      {views.map(view => (
        <li key={`${view.at} ${view.viewer_id} ${view.what}`}>
          <strong>{view.viewer_name}</strong>
          <span className={styles.dim}>
            {view.viewer_role ? `${view.viewer_role} · ` : ''}
            {viewedParts[view.what]} · {formatExactTime(view.at)}
          </span>
        </li>
      ))}
    </ul>
  )
}
