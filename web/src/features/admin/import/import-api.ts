import type { ThunkDispatch, UnknownAction } from '@reduxjs/toolkit'
import { applyImport, checkImport, getImport, type PeopleImport } from '@watchline/contracts/people-imports'
import { useDispatch } from 'react-redux'
import { fromOperation, gateway } from '../../../api/gateway.ts'

export const importApi = gateway.injectEndpoints({
  endpoints: build => ({
    getImport: build.query(fromOperation(getImport)),
    checkImport: build.mutation(fromOperation(checkImport)),
    applyImport: build.mutation(fromOperation(applyImport)),
  }),
})

type RootState = Parameters<ReturnType<typeof importApi.endpoints.getImport.select>>[0]

export const { useCheckImportMutation, useApplyImportMutation } = importApi

/** Writes an import from an answer into the query cache, so that its new state shows at once. */
export function useCacheImport() {
  const dispatch = useDispatch<ThunkDispatch<RootState, unknown, UnknownAction>>()
  return (answer: PeopleImport) =>
    void dispatch(importApi.util.upsertQueryData('getImport', { params: { id: answer.id } }, answer))
}

/** Refetches every list of people. */
export function useInvalidatePeople() {
  const dispatch = useDispatch()
  return () => void dispatch(gateway.util.invalidateTags(['People', 'Team', 'Online']))
}
