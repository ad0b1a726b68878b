import { BadRequest, type Request } from "rowhouse/plugin-api";
import { readName, readObject, sendsJson } from "../read-view.js";
import type { DashboardFacts } from "./store.js";

const MEMBERS = ["name", "private", "views"];

/** What a request wants of a dashboard. Members that it leaves out keep their value. */
export interface WantedDashboard extends Partial<DashboardFacts> {
  /** The ids of its views, in order. */
  readonly views?: readonly string[];
  /** The button of a form: `add`, `remove`, `up`, `down` or `save`. */
  readonly action?: string;
  /** The view that the button is about. */
  readonly view?: string;
}

/** Reads JSON or a form. @throws BadRequest */
export async function readDashboard(request: Request): Promise<WantedDashboard> {
  if (!sendsJson(request)) {
    const { fields } = await request.form();
    const name = fields.get("name");
    const [action = "", view = ""] = (fields.get("action") ?? "save").split(":", 2);
    return {
      ...(name !== null && { name: readName(name, "dashboard"), isPrivate: fields.get("shared") === null }),
      action,
      view: view || (fields.get("view") ?? ""),
    };
  }
  const { name, private: isPrivate, views } = await readObject(request, MEMBERS);
  if (name !== undefined && typeof name !== "string") throw new BadRequest("name must be text");
  if (isPrivate !== undefined && typeof isPrivate !== "boolean")
    throw new BadRequest("private must be true or false");
  if (views !== undefined && !(Array.isArray(views) && views.every((view) => typeof view === "string")))
    throw new BadRequest("views must be a list of the ids of saved views");
  return {
    ...(name !== undefined && { name: readName(name, "dashboard") }),
    ...(isPrivate !== undefined && { isPrivate }),
    ...(views !== undefined && { views }),
  };
}
