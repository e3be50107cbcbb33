import type { EngagementContext } from '../context.ts'
import { commentsVersion } from '../rules/versions.ts'

type Deps = Pick<
  EngagementContext,
  | 'comments'
  | 'rawReports'
  | 'watchers'
  | 'detailViews'
  | 'monitoredSessions'
  | 'issuedRecords'
  | 'taskFacts'
  | 'savedReports'
  | 'projections'
  | 'outbox'
  | 'clock'
>

const commentsPerTransaction = 100

/**
 * Erases the comments of a person, and what crediting remembers beside the figures. The credited
 * seconds and completions stay under the person’s id, for the figures of teams and playlists. May
 * be repeated.
 */
export async function eraseRecords(deps: Deps, personId: string): Promise<void> {
  while ((await eraseComments(deps, personId)) === commentsPerTransaction);
  await deps.comments.eraseActsOf(personId)
  await deps.watchers.eraseTraces(personId)
  await deps.detailViews.removeOf(personId)
  await deps.monitoredSessions.removeOf(personId)
  // The requests for certificates first: from then on no new document has the person's name.
  await deps.taskFacts.erase(personId)
  await deps.issuedRecords.erase(personId)
  await deps.savedReports.removePerson(personId)
  await deps.rawReports.remove(personId)
  await deps.projections.assignments.eraseReasons(personId)
}

/** Returns the number of comments that it erased. */
function eraseComments({ comments, outbox, clock }: Deps, personId: string): Promise<number> {
  return outbox.transaction(async tx => {
    const batch = await comments.findUnerasedOf(personId, commentsPerTransaction, tx.session)
    for (const comment of batch) {
      await comments.erase(comment.id, new Date(clock.now()), tx.session)
      if (comment.parentId !== null && !comment.deletedAt) await comments.countReply(comment.parentId, -1, tx.session)
      tx.bumpVersions(commentsVersion(comment))
    }
    return batch.length
  })
}
