"""Printed figures of papers, with every printed digit. Never regenerate them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

PAPERS = {
    "mahmood-2012": (
        "A. N. Mahmood, M. E. Kabir and A. K. Mustafa, New multi-dimensional sorting based k-anonymity microaggregation"
        " for statistical disclosure control, SecureComm 2012"
    ),
    "alarte-2018": (
        "J. Alarte Aleixandre, Application of clustering techniques to privacy protection, master thesis, Universitat"
        " Oberta de Catalunya, 2018"
    ),
    "veltmann-2022": (
        "A. Veltmann, Implementation and evaluation of microaggregation algorithms for categorical data, master thesis,"
        " Universitat Politècnica de Catalunya, 2022"
    ),
    "padmaja-2021": (
        "R. Padmaja and V. Santhi, An extended Mondrian algorithm - XMondrian to protect identity disclosure, Smart"
        " Intelligent Computing and Communication Technology, IOS Press, 2021"
    ),
}


@dataclass(frozen=True)
class PrintedTable:
    """Printed table of one measure: one row per method or count, one column per k.

    Figures are text, to keep their digits. The key is None if there is no k.
    """

    paper: str
    place: str
    dataset: str
    measure: str
    rows: Mapping[str, Mapping[int | None, str]]
    seconds: Mapping[str, Mapping[int | None, float]] = field(default_factory=dict)
    """Printed run times."""


# Tables 6 to 8 quote all rows except the last: MDAV-MHM, MD-MHM, CBFS-MHM, NPN-MHM and M-d (k = 3, 5, 10) from
# Domingo-Ferrer, Martínez-Ballesté, Mateo-Sanz and Sebé 2006; μ-Approx and M-d (k = 4) from Domingo-Ferrer, Sebé and
# Solanas 2008; TFRP from Chang, Li and Huang 2007; MDAV-1, MDAV-2 and DBA from Lin, Wen, Hsieh and Chang 2010.
TABLES = (
    PrintedTable(
        paper="mahmood-2012",
        place="Table 6",
        dataset="tarragona",
        measure="information_loss",
        rows={
            "MDAV-MHM": {3: "16.9326", 5: "22.4617", 10: "33.1923"},
            "MD-MHM": {3: "16.9829", 5: "22.5269", 10: "33.1834"},
            "CBFS-MHM": {3: "16.9714", 5: "22.8227", 10: "33.2188"},
            "NPN-MHM": {3: "17.3949", 5: "27.0213", 10: "40.1831"},
            "M-d": {3: "16.6300", 4: "19.66", 5: "24.5000", 10: "38.5800"},
            "μ-Approx": {3: "17.10", 4: "20.51", 5: "26.04", 10: "38.80"},
            "TFRP-1": {3: "17.228", 4: "19.396", 5: "22.110", 10: "33.186"},
            "TFRP-2": {3: "16.881", 4: "19.181", 5: "21.847", 10: "33.088"},
            "MDAV-1": {3: "16.93258762", 4: "19.54578612", 5: "22.46128236", 10: "33.19235838"},
            "MDAV-2": {3: "16.38261429", 4: "19.01314997", 5: "22.07965363", 10: "33.17932950"},
            "DBA-1": {3: "20.69948803", 4: "23.82761456", 5: "26.00129826", 10: "35.39295837"},
            "DBA-2": {3: "16.15265063", 4: "22.67107728", 5: "25.45039236", 10: "34.80675148"},
            "Multi-DSort": {3: "9.8572", 4: "11.9989", 5: "18.17", 10: "32.1338"},
        },
    ),
    PrintedTable(
        paper="mahmood-2012",
        place="Table 7",
        dataset="census",
        measure="information_loss",
        rows={
            "MDAV-MHM": {3: "5.6523", 5: "9.0870", 10: "14.2239"},
            "MD-MHM": {3: "5.69724", 5: "8.98594", 10: "14.3965"},
            "CBFS-MHM": {3: "5.6734", 5: "8.8942", 10: "13.8925"},
            "NPN-MHM": {3: "6.3498", 5: "11.3443", 10: "18.7335"},
            "M-d": {3: "6.1100", 4: "8.24", 5: "10.3000", 10: "17.1700"},
            "μ-Approx": {3: "6.25", 4: "8.47", 5: "10.78", 10: "17.01"},
            "TFRP-1": {3: "5.931", 4: "7.880", 5: "9.357", 10: "14.442"},
            "TFRP-2": {3: "5.803", 4: "7.638", 5: "8.980", 10: "13.959"},
            "MDAV-1": {3: "5.692186279", 4: "7.494699833", 5: "9.088435498", 10: "14.15593043"},
            "MDAV-2": {3: "5.656049371", 4: "7.409645342", 5: "9.012389597", 10: "13.94411775"},
            "DBA-1": {3: "6.144855154", 4: "9.127883805", 5: "10.84218735", 10: "15.78549732"},
            "DBA-2": {3: "5.581605762", 4: "7.591307664", 5: "9.046162117", 10: "13.52140518"},
            "Multi-DSort": {3: "2.0954", 4: "3.6254", 5: "3.4595", 10: "6.8497"},
        },
    ),
    PrintedTable(
        paper="mahmood-2012",
        place="Table 8",
        dataset="eia",
        measure="information_loss",
        rows={
            "MDAV-MHM": {3: "0.4081", 5: "1.2563", 10: "3.7725"},
            "MD-MHM": {3: "0.4422", 5: "1.2627", 10: "3.6374"},
            "NPN-MHM": {3: "0.5525", 5: "0.9602", 10: "2.3188"},
            "μ-Approx": {3: "0.43", 4: "0.59", 5: "0.83", 10: "2.26"},
            "TFRP-1": {3: "0.530", 4: "0.661", 5: "1.651", 10: "3.242"},
            "TFRP-2": {3: "0.428", 4: "0.599", 5: "0.910", 10: "2.590"},
            "MDAV-1": {3: "0.482938725", 4: "0.671345141", 5: "1.666657361", 10: "3.83966422"},
            "MDAV-2": {3: "0.411101515", 4: "0.587381756", 5: "0.946263963", 10: "3.16085577"},
            "DBA-1": {3: "1.090194828", 4: "0.84346907", 5: "1.895536919", 10: "4.265801303"},
            "DBA-2": {3: "0.421048322", 4: "0.559755523", 5: "0.81849828", 10: "2.080980825"},
            "Multi-DSort": {3: "0.4048", 4: "0.5299", 5: "0.7956", 10: "1.7709"},
        },
    ),
    PrintedTable(
        paper="alarte-2018",
        place="Table 5.3",
        dataset="census",
        measure="sse",
        rows={"MDAV": {3: "798.44", 4: "1051.28", 5: "1274.83", 10: "1985.65"}},
        seconds={"MDAV": {3: 39, 4: 32, 5: 27, 10: 19}},
    ),
    PrintedTable(
        paper="alarte-2018",
        place="Table 6.1",
        dataset="census",
        measure="sse",
        rows={"HAC single": {3: "1284.95", 4: "1919.07", 5: "2154.53", 10: "3469.41"}},
        seconds={"HAC single": {3: 192, 4: 169, 5: 175, 10: 150}},
    ),
    PrintedTable(
        paper="alarte-2018",
        place="Tables 7.1 and 7.2",
        dataset="census",
        measure="sse",
        rows={
            "HAC-max-partitions single": {3: "1038.30", 4: "1363.40", 5: "1664.5", 10: "2379.23"},
            "HAC-max-partitions complete": {3: "1908.67", 4: "2196.23", 5: "3852.33", 10: "4771.5"},
            "HAC-max-partitions centroid": {3: "1703.3", 4: "1679.7", 5: "1979.91", 10: "3112.41"},
        },
        seconds={
            "HAC-max-partitions single": {3: 233, 4: 210, 5: 208, 10: 146},
            "HAC-max-partitions complete": {3: 271, 4: 240, 5: 231, 10: 309},
            "HAC-max-partitions centroid": {3: 20598, 4: 19547, 5: 19276, 10: 20209},
        },
    ),
    PrintedTable(
        paper="alarte-2018",
        place="Tables 7.3 and 8.1",
        dataset="census",
        measure="sse",
        rows={"HAC-priority single": {3: "877.39", 4: "1338.52", 5: "1624.83", 10: "2802.90"}},
        seconds={"HAC-priority single": {3: 5470, 4: 3529, 5: 4710, 10: 4232}},
    ),
    PrintedTable(
        paper="alarte-2018",
        place="Section 5.2",
        dataset="toy19",
        measure="sse",
        rows={"MDAV": {4: "7.93"}, "MDAV-sdcMicro": {4: "8.20"}},
    ),
    PrintedTable(
        paper="alarte-2018", place="Section 6.2", dataset="toy19", measure="sse", rows={"HAC single": {4: "20.56"}}
    ),
    PrintedTable(
        paper="veltmann-2022",
        place="Table 3",
        dataset="adult",
        measure="count",
        rows={
            "(executive, united_states)": {None: "3735"},
            "(specialist, united_states)": {None: "3693"},
            "(craftsman, united_states)": {None: "3685"},
            "(clerk, united_states)": {None: "3449"},
            "(salesperson, united_states)": {None: "3364"},
        },
    ),
    PrintedTable(
        paper="veltmann-2022",
        place="Section 3.1.1",
        dataset="adult",
        measure="count",
        rows={
            "records": {None: "30162"},
            "records in classes below k": {2: "84", 5: "497"},
            "united_states": {None: "27504"},
            "values of native.country": {None: "41"},
            "values of occupation": {None: "14"},
        },
    ),
    PrintedTable(
        paper="veltmann-2022",
        place="Section 3.1.1",
        dataset="adult",
        measure="percent",
        rows={
            "records in classes below k": {2: "0.278", 5: "1.648"},
            "(executive, united_states)": {None: "12.38"},
            "five most frequent": {None: "48"},
            "united_states": {None: "91.2"},
            "specialist": {None: "13.9"},
        },
    ),
    PrintedTable(
        paper="veltmann-2022",
        place="Table 4",
        dataset="analytics",
        measure="count",
        rows={
            "(windows, united_states)": {None: "32390"},
            "(mac_os, united_states)": {None: "25341"},
            "(android, united_states)": {None: "17691"},
            "(ios, united_states)": {None: "10325"},
            "(chrome_os, united_states)": {None: "10180"},
        },
    ),
    PrintedTable(
        paper="veltmann-2022",
        place="Section 3.1.2",
        dataset="analytics",
        measure="count",
        rows={
            "records": {None: "243545"},
            "records in classes below k": {2: "125", 5: "531"},
            "windows": {None: "91208"},
            "values of os": {None: "14"},
            "values of country": {None: "193"},
        },
    ),
    PrintedTable(
        paper="veltmann-2022",
        place="Section 3.1.2",
        dataset="analytics",
        measure="percent",
        rows={
            "records in classes below k": {2: "0.051", 5: "0.218"},
            "(windows, united_states)": {None: "13.3"},
            "five most frequent": {None: "39.9"},
            "windows": {None: "37.5"},
            "united_states": {None: "39.8"},
        },
    ),
    PrintedTable(
        paper="veltmann-2022",
        place="Table 5",
        dataset="adult",
        measure="global_risk",
        rows={
            "Before microaggregation": {None: "1.31"},
            "SA-Mondrian-Strict": {2: "1.08", 6: "0.66", 10: "0.48"},
            "Mondrian-Strict-Improved": {2: "1.08", 6: "0.65", 10: "0.46"},
            "SA-MDAV": {2: "1.16", 6: "0.78", 10: "0.60"},
        },
    ),
    PrintedTable(
        paper="veltmann-2022",
        place="Table 5",
        dataset="adult",
        measure="semantic_loss",
        rows={
            "Before microaggregation": {None: "0.000"},
            "SA-Mondrian-Strict": {2: "0.082", 6: "0.434", 10: "0.710"},
            "Mondrian-Strict-Improved": {2: "0.101", 6: "0.526", 10: "0.847"},
            "SA-MDAV": {2: "0.084", 6: "0.608", 10: "1.116"},
        },
    ),
    # The other nine risks of Table 6 repeat those of Table 5, for another dataset, digit by digit: omitted.
    PrintedTable(
        paper="veltmann-2022",
        place="Table 6",
        dataset="analytics-sample-one",
        measure="global_risk",
        rows={"Before microaggregation": {None: "3.80"}},
    ),
    PrintedTable(
        paper="veltmann-2022",
        place="Table 6",
        dataset="analytics-sample-one",
        measure="semantic_loss",
        rows={
            "Before microaggregation": {None: "0.000"},
            "SA-Mondrian-Strict": {2: "0.162", 6: "0.533", 10: "0.856"},
            "Mondrian-Strict-Improved": {2: "0.154", 6: "0.635", 10: "1.112"},
            "SA-MDAV": {2: "0.178", 6: "0.653", 10: "1.130"},
        },
    ),
    PrintedTable(
        paper="padmaja-2021",
        place="Figures 9 and 10",
        dataset="example10",
        measure="classes",
        rows={"Mondrian": {2: "4"}, "XMondrian": {2: "6"}},
    ),
    PrintedTable(
        paper="padmaja-2021",
        place="Sections 5.1 and 5.2",
        dataset="example10",
        measure="c_avg",
        rows={"Mondrian": {2: "1.25"}, "XMondrian": {2: "0.8333"}},
        seconds={"Mondrian": {2: 0.014}, "XMondrian": {2: 0.009}},
    ),
)
