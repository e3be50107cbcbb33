import type { GroupAction } from '@watchline/contracts/group-assignments'
import { limits } from '@watchline/contracts/limits'
import { useState } from 'react'
import type { Failure } from '../../../api/failure.ts'
import { formatCount, formatNumber } from '../../../ui/dates/format.ts'
import { LoadFailed } from '../../../ui/feedback/states.tsx'
import { Pager } from '../../../ui/lists/pager.tsx'
import styles from '../playlists.module.css'
import { actionTexts, describeSkipped } from './group-action-texts.ts'
import type { GroupPreview } from './use-group-preview.ts'

interface PreviewNoteProps {
  action: GroupAction
  size: number
  preview: GroupPreview
  isComplete: boolean
  failure?: Failure
  reload: () => void
}

/**
 * The number of members whom the action affects, and of those whom it does not, with the reasons.
 */
export function PreviewNote({ action, size, preview, isComplete, failure, reload }: PreviewNoteProps) {
  const texts = actionTexts[action]
  if (failure) return <LoadFailed message="Couldn’t count the people." failure={failure} onRetry={reload} />
  const counted = preview.affected + [...preview.skipped.values()].reduce((sum, count) => sum + count, 0)
  const skipped = describeSkipped(preview.skipped)
  const unnamed = preview.affected - preview.people.length
  return (
    <div className={styles.consequence}>
      <div role="status">
        {isComplete ? (
          <>
            {preview.affected > 0 ? texts.effect(formatCount(preview.affected, 'person', 'people')) : texts.nobody}
            {skipped.length > 0 ? ` ${skipped.join(', ')}.` : ''}
          </>
        ) : (
          `Counting the people: ${formatNumber(counted)} of ${formatNumber(size)}…`
        )}
      </div>
      {isComplete && preview.affected > 0 ? (
        <details className={styles.names}>
          <summary>Names</summary>
          <PeopleNames people={preview.people} />
          {unnamed > 0 ? <p>and {formatCount(unnamed, 'more person', 'more people')}</p> : null}
        </details>
      ) : null}
    </div>
  )
}

/** All are loaded, page by page because there may be many. */
function PeopleNames({ people }: Pick<GroupPreview, 'people'>) {
  const [page, setPage] = useState(0)
  const start = page * limits.groupPreviewNames
  const shown = people.slice(start, start + limits.groupPreviewNames)
  return (
    <>
      <ul>
        {shown.map(({ id, name }) => (
          <li key={id}>{name}</li>
        ))}
      </ul>
      <Pager
        {...{ page, pageSize: limits.groupPreviewNames, count: shown.length, total: people.length }}
        hasNext={start + shown.length < people.length}
        canJump
        onPage={setPage}
      />
    </>
  )
}
