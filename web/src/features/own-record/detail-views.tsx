import type { DetailView } from '@watchline/contracts/privacy'
import { DetailViewList } from '../../ui/detail-view-list.tsx'
import styles from './own-record.module.css'

/** The people who looked at the person's details, the latest first. */
export function DetailViews({ views }: { views: readonly DetailView[] }) {
  return (
    <section aria-labelledby="detail-views">
      <h2 id="detail-views">Who looked at my details</h2>
      {views.length === 0 ? (
        <p className={styles.dim}>Nobody has looked at them so far.</p>
      ) : (
        <>
          <DetailViewList views={views} />
          <p className={styles.dim}>Each person is listed once a day for each kind of look.</p>
        </>
      )}
    </section>
  )
}
