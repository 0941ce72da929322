/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a survey has found, for those who ask. */
#include "config.h"

#include <stdio.h>

#include "report/survey/survey.h"

bool survey_is_timed(const char *path, uint32_t *pid_ret)
{
	return sscanf(path, SURVEY_TIMED_NAME "%u", pid_ret) == 1;
}

const char *survey_unnamed(uint32_t tid, char unnamed[SURVEY_COMM_SIZE])
{
	if (tid == 0)
		return "swapper";
	snprintf(unnamed, SURVEY_COMM_SIZE, ":%d", (int32_t)tid);
	return unnamed;
}

const char *survey_comm(const struct survey *survey, uint32_t comm,
	uint32_t tid, char unnamed[SURVEY_COMM_SIZE])
{
	return comm ? maps_comm(survey->maps, comm)
		    : survey_unnamed(tid, unnamed);
}
