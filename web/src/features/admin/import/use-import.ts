import { skipToken } from '@reduxjs/toolkit/query/react'
import { limits } from '@watchline/contracts/limits'
import { useEffect } from 'react'
import { asFailure } from '../../../api/failure.ts'
import { usePolling } from '../../../api/polling.ts'
import { importApi, useInvalidatePeople } from './import-api.ts'
import { unfinishedImport } from './unfinished-import.ts'

const { useQueryState, useQuerySubscription } = importApi.endpoints.getImport

/**
 * An import as the server knows it. Polls while the server works on it, and until the first answer.
 */
export function useImport(id: string | undefined) {
  const argument = id ? { params: { id } } : skipToken
  const { currentData, error, isFetching } = useQueryState(argument)
  const failure = error ? asFailure(error) : undefined
  const isMissing = failure !== undefined && [400, 404, 422].includes(failure.status)
  const isInProgress = currentData ? isWorking(currentData.status) : !isMissing
  const { refetch } = useQuerySubscription(argument, {
    ...usePolling(limits.importPollMs, isInProgress),
    refetchOnMountOrArgChange: true,
  })

  const status = isMissing ? 'missing' : currentData?.status
  const invalidatePeople = useInvalidatePeople()
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once, when the import has ended
  useEffect(() => {
    if (status === 'applied') invalidatePeople()
    if (id && (status === 'applied' || status === 'refused' || status === 'missing')) unfinishedImport.clear(id)
  }, [id, status])

  return { peopleImport: isMissing ? undefined : currentData, isMissing, failure, isFetching, refetch }
}

export type ImportQuery = ReturnType<typeof useImport>

export function isWorking(status: string): boolean {
  return status === 'checking' || status === 'applying'
}
