/** The record of an erasure, in a folder of an application. */
export const erasureName = (folder: string, id: string): string => `${folder}/_erasures/${id}.json`;
