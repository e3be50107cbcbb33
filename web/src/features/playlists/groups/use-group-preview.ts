import type { GroupAction, GroupSkipReason } from '@watchline/contracts/group-assignments'
import { useCallback, useEffect, useState } from 'react'
import { asFailure, type Failure } from '../../../api/failure.ts'
import { compareNames } from '../../../ui/lists/compare-names.ts'
import { useLazyPreviewGroupActionQuery } from '../playlists-api.ts'

/** The members of a group whom an action on their tasks would affect now. */
export interface GroupPreview {
  affected: number
  skipped: ReadonlyMap<GroupSkipReason, number>
  /** Those affected; by name once all are counted. */
  people: readonly { id: string; name: string }[]
}

interface PreviewState {
  preview: GroupPreview
  isComplete: boolean
  failure?: Failure
}

const nothing: PreviewState = { preview: { affected: 0, skipped: new Map(), people: [] }, isComplete: false }

/** Counts the members of a group page by page, again for each action and after `reload`. */
export function useGroupPreview(playlistId: string, groupId: string, action: GroupAction) {
  const [loadPage] = useLazyPreviewGroupActionQuery()
  const [state, setState] = useState(nothing)
  const [attempt, setAttempt] = useState(0)

  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt counts again
  useEffect(() => {
    let isCurrent = true
    async function count() {
      setState(nothing)
      let { preview } = nothing
      for (let after: string | undefined; isCurrent; ) {
        const input = { params: { id: playlistId, group_id: groupId }, body: { action, after } }
        const { data, error } = await loadPage(input)
        if (!isCurrent) return
        if (!data) return setState({ preview, isComplete: false, failure: asFailure(error) })
        preview = addPage(preview, data)
        const isComplete = data.next === null
        setState({ preview: isComplete ? sortPeople(preview) : preview, isComplete })
        if (data.next === null) return
        after = data.next
      }
    }
    void count()
    return () => {
      isCurrent = false
    }
  }, [playlistId, groupId, action, loadPage, attempt])

  return { ...state, reload: useCallback(() => setAttempt(number => number + 1), []) }
}

interface PreviewPage {
  affected: number
  skipped: readonly { reason: GroupSkipReason; count: number }[]
  people: readonly { id: string; name: string }[]
}

function addPage(preview: GroupPreview, page: PreviewPage): GroupPreview {
  const skipped = new Map(preview.skipped)
  for (const { reason, count } of page.skipped) skipped.set(reason, (skipped.get(reason) ?? 0) + count)
  return { affected: preview.affected + page.affected, skipped, people: [...preview.people, ...page.people] }
}

function sortPeople(preview: GroupPreview): GroupPreview {
  return { ...preview, people: preview.people.toSorted((a, b) => compareNames(a.name, b.name)) }
}
