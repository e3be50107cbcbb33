import { listDetailViews } from '@watchline/contracts/privacy'
import { fromListOperation, gateway } from './gateway.ts'

/** The calls that list the people who looked at somebody's details. */
export const detailViewsApi = gateway.injectEndpoints({
  endpoints: build => ({
    listDetailViews: build.query(fromListOperation(listDetailViews)),
  }),
})

export const { useListDetailViewsQuery } = detailViewsApi
