import type { DetailView } from '@watchline/contracts/privacy'
import { SkeletonRows } from '../../ui/feedback/states.tsx'
import { DetailViewList } from '../../ui/people/detail-view-list.tsx'
import styles from './own-record.module.css'

/**
 * The people who looked at the person's details, the latest first. `views` is undefined while it
 * loads.
 */
export function DetailViews({ views }: { views: readonly DetailView[] | undefined }) {
  return (
    <section aria-labelledby="detail-views">
      <h2 id="detail-views">Who looked at my details</h2>
      {views === undefined ? (
        <SkeletonRows rows={2} height={40} />
      ) : views.length === 0 ? (
        <p className={styles.dim}>Nobody has looked at them so far.</p>
      ) : (
        <>
          <DetailViewList views={views} />
          <p className={styles.dim}>
            Each person is listed once a day for each kind of look. Lists of a team with figures of everybody are left
            out.
          </p>
        </>
      )}
    </section>
  )
}
