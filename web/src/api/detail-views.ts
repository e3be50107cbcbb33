import { listDetailViews } from '@watchline/contracts/privacy'
import { fromListOperation, gateway } from './gateway.ts'

/** Who looked at somebody's details: for their own record, and for administrators. */
export const detailViewsApi = gateway.injectEndpoints({
  endpoints: build => ({
    listDetailViews: build.query(fromListOperation(listDetailViews)),
  }),
})

export const { useListDetailViewsQuery } = detailViewsApi
