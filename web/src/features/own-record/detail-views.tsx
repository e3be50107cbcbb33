import type { DetailView } from '@watchline/contracts/privacy'
import { formatExactTime } from '../../ui/format.ts'
import styles from './own-record.module.css'

const what: Record<DetailView['what'], string> = {
  record: 'your watch record',
  team_export: 'your record, in a file of the team',
  all_data: 'all that is recorded about you, as a file',
}

/** Who looked at the person's details, the latest first; one line for each viewer and day. */
export function DetailViews({ views }: { views: readonly DetailView[] }) {
  return (
    <section aria-labelledby="detail-views">
      <h2 id="detail-views">Who looked at my details</h2>
      {views.length === 0 ? (
        <p className={styles.dim}>Nobody has looked at them so far.</p>
      ) : (
        <ul className={styles.sessions}>
          {views.map(view => (
            <li key={`${view.at} ${view.viewer_id} ${view.what}`}>
              <div className={styles.words}>
                <strong>{view.viewer_name}</strong>
                <span className={styles.note}>
                  {view.viewer_role ? `${view.viewer_role} · ` : ''}
                  {what[view.what]} · {formatExactTime(view.at)}
                </span>
              </div>
            </li>
          ))}
        </ul>
      )}
      {views.length > 0 ? <p className={styles.dim}>Each person is listed once a day for each kind of look.</p> : null}
    </section>
  )
}
